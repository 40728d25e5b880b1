// @ts-check
/**
 * The tools and tasks of LiveMCPBench (https://github.com/icip-cas/LiveMCPBench), read from a checkout that
 * `TENON_LIVEMCPBENCH` names.
 */
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { readJson } from '../../scripts/process.mjs';

/** @typedef {{ name: string, description?: string, inputSchema: any }} Tool */
/** @typedef {{ server: string, description: string, tools: Tool[] }} Server */
/** `wanted` has the names of the tools that people chose for the task. @typedef {{ question: string, steps: string[], wanted: string[] }} Task */

const TOOLS = 'tools/LiveMCPTool/tools.json';
const TASKS = 'annotated_data/all_annotations.json';

/** @returns {{ servers: Server[], tasks: Task[] }} */
export function readData() {
  const folder = process.env.TENON_LIVEMCPBENCH;
  if (folder === undefined || !existsSync(join(folder, TOOLS))) {
    throw new Error(
      `search: there is no ${TOOLS} in ${folder ?? 'TENON_LIVEMCPBENCH'}. Clone https://github.com/icip-cas/LiveMCPBench and set TENON_LIVEMCPBENCH to its folder.`,
    );
  }
  const servers = readJson(join(folder, TOOLS)).flatMap((/** @type {any} */ { description, tools }) =>
    Object.entries(tools).map(([server, { tools }]) => ({ server, description, tools })),
  );
  const tasks = readJson(join(folder, TASKS)).map(
    (/** @type {any} */ { Question, 'Annotator Metadata': metadata }) => ({
      question: Question,
      steps: readList(metadata.Steps),
      wanted: [...new Set(readList(metadata.Tools))],
    }),
  );
  return { servers, tasks };
}

/** Reads a numbered list. @param {string} text */
const readList = text =>
  text
    .split('\n')
    .map(line => line.replace(/^\s*\d+[.)]\s*/, '').trim())
    .filter(line => line !== '');

/** Half of the servers are held out: words and weights of the search were chosen with the other half. @param {string} server */
export const isHeldOut = server => ((createHash('sha256').update(server).digest()[0] ?? 0) & 1) === 1;
