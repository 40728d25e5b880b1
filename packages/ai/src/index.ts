/**
 * Models of the AI SDK answer sampling requests, and MCP tools become tools of the AI SDK.
 *
 * @module @tenon/ai
 */

export { type AiToolsOptions, type ToolSource, toAiTools } from './ai-tools.js';
export { type CreateModelOptions, createModel } from './create-model.js';
