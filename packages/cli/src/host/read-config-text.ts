import { type ConfigFileOptions, type ConfigResult, type ParsedConfigText, readConfigFile } from '@tenon/host';
import { TenonError } from 'tenon';
import { type ConfigFormat, ConfigTextError } from '../mcp-hosts/formats/config-format.js';

/** Reads a configuration file in any format: JSON with comments, or the TOML or YAML of an MCP host. */
export async function readAnyConfigFile(path: string, options: ConfigFileOptions): Promise<ConfigResult> {
  const format = await loadFormat(path);
  return readConfigFile(path, { ...options, ...(format ? { parse: text => parseText(format, text) } : {}) });
}

/** Loads the parser of a format other than JSON. The parsers are large, and most users need none of them. */
async function loadFormat(path: string): Promise<ConfigFormat | undefined> {
  if (/\.toml$/i.test(path)) return (await import('../mcp-hosts/formats/toml-format.js')).tomlFormat;
  if (/\.ya?ml$/i.test(path)) return (await import('../mcp-hosts/formats/yaml-format.js')).yamlFormat;
  return undefined;
}

function parseText(format: ConfigFormat, text: string): ParsedConfigText {
  try {
    return {
      value: format.parse(text),
      findLine: format.createLineFinder?.(text) ?? (() => undefined),
      findText: format.createTextFinder?.(text),
    };
  } catch (error) {
    if (!(error instanceof ConfigTextError)) throw error;
    const line = error.position === undefined ? '' : `line ${error.position.line}: `;
    throw new TenonError('config/syntax', `${line}${error.message}`, { cause: error });
  }
}
