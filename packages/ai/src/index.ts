/**
 * Bridge to the AI SDK: its language models handle sampling requests, and MCP tools become AI SDK tools.
 *
 * @module @tenon/ai
 */

export { type AiToolsOptions, type ToolSource, toAiTools } from './ai-tools.js';
export { type CreateModelOptions, createModel } from './create-model.js';
