import type { CommandShape, UrlShape, VariableForm } from './mcp-host.js';

/** Forms that several hosts share. */

export const PLAIN_COMMAND: CommandShape = { command: 'command', args: 'args', env: 'env' };
export const TYPED_COMMAND: CommandShape = { ...PLAIN_COMMAND, type: 'stdio' };

export const PLAIN_URL: UrlShape = { url: 'url', headers: ['headers'] };
export const TYPED_URL: UrlShape = { ...PLAIN_URL, type: 'http', sse: { type: 'sse' } };
/** The key of the URL tells the transport. */
export const QWEN_URL: UrlShape = { url: 'httpUrl', headers: ['headers'], sse: { url: 'url' } };
/** Later versions of Gemini CLI also read `httpUrl`, but a `url` without a type is one of Streamable HTTP. */
export const GEMINI_URL: UrlShape = { ...QWEN_URL, sse: { type: 'sse', url: 'url' } };
export const SERVER_URL: UrlShape = { url: 'serverUrl', headers: ['headers'] };

// biome-ignore-start lint/suspicious/noTemplateCurlyInString: variables of configurations are written so
export const SHELL_VARIABLE: VariableForm = { text: '${VAR}' };
/** Gemini CLI and its forks. */
export const DOLLAR_VARIABLE: VariableForm = { text: '${VAR}', otherTexts: ['$VAR'] };
export const ENV_VARIABLE: VariableForm = { text: '${env:VAR}' };
/** VS Code asks for the value, and stores it encrypted. */
export const INPUT_VARIABLE: VariableForm = { text: '${input:VAR}', inputs: 'inputs' };
// biome-ignore-end lint/suspicious/noTemplateCurlyInString: end
export const NO_VARIABLE: VariableForm = {};
