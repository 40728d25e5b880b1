import {
  type Clock,
  getCallerKey,
  getOwnerKey,
  identifyCaller,
  type JsonObject,
  type Stores,
  systemClock,
  TenonError,
  toJsonObject,
} from '@tenon/base';
import type { Tool } from 'tenon';
import { loadRuntime } from 'tenon/host-internals';
import type { MetaToolNames } from '../catalog/budget/collapse-tools.js';
import type { ProxiedCall, ProxiedTool } from '../proxy/proxied-tool.js';
import { type CodeModePolicy, type CodeModeSetting, parseCodeMode } from './code-mode-options.js';
import { EngineSlots } from './engine-slots.js';
import type { ProgramEngine } from './program-engine.js';
import { type ProgramOutcome, ProgramRun, type ReportedCall } from './program-run.js';
import { ProgramRecord } from './program-store.js';

declare const crypto: { randomUUID(): string };

/** Key in `_meta` of the result of a program: its `id`, the number of its calls, and the code of its error. */
const PROGRAM_META = 'dev.tenon/program';

/** Code mode of a host: runs programs of callers. */
export interface CodeMode {
  readonly policy: Exclude<CodeModePolicy, 'off'>;
  /** Runs the program of a call of the run tool. */
  run(
    params: JsonObject,
    call: ProxiedCall,
    find: (name: string) => Promise<ProxiedTool> | ProxiedTool,
  ): Promise<JsonObject>;
}

export interface CodeModeParts {
  /** Absent on runtimes that cannot run programs. */
  readonly engine: ProgramEngine | undefined;
  readonly stores: Stores;
  readonly clock?: Clock | undefined;
  /** Name of the host. */
  readonly host: string;
}

/**
 * Creates the code mode of a host. Returns `undefined` if it is off.
 *
 * @throws TenonError `program/options`, `program/unavailable` or `program/not-installed`.
 */
export function createCodeMode(setting: CodeModeSetting | undefined, parts: CodeModeParts): CodeMode | undefined {
  const options = parseCodeMode(setting);
  if (options === undefined) return undefined;
  const { engine, stores, clock = systemClock, host } = parts;
  if (engine === undefined) {
    throw new TenonError('program/unavailable', 'code mode cannot run programs on this runtime', {
      expected: 'Node',
      hint: 'run the host on Node, or leave the option `codeMode` out',
    });
  }
  engine.check();
  const slots = new EngineSlots(options.maxPrograms);
  return {
    policy: options.policy === 'off' ? 'offer' : options.policy,
    async run({ arguments: given }, call, find) {
      const parsed = parseRunArguments(given);
      if ('issue' in parsed) return { content: [{ type: 'text', text: parsed.issue }], isError: true };
      const { program: code, id: givenId } = parsed;
      let isFirst = false;
      const id = await call.run.step('program', () => {
        isFirst = true;
        return givenId ?? crypto.randomUUID();
      });
      const { auth, address } = call.context;
      const caller = getCallerKey(auth, address);
      const runtime = await loadRuntime();
      const identity = {
        id: String(id),
        code,
        owner: getOwnerKey(identifyCaller(auth)) ?? caller,
        host,
        mustExist: !isFirst && givenId === undefined,
      };
      let record: ProgramRecord;
      try {
        record = await ProgramRecord.open({ values: stores.values, clock, ttl: options.ttl, runtime }, identity);
      } catch (error) {
        if (!TenonError.is(error) || !error.code.startsWith('program/')) throw error;
        const { code: failure, message } = error;
        const meta = { id: identity.id, calls: 0, code: failure };
        return { content: [{ type: 'text', text: message }], isError: true, _meta: { [PROGRAM_META]: meta } };
      }
      if (record.result) return record.result;
      try {
        const program = { engine, slots, clock, limits: options, record, runtime, code, caller, outer: call, find };
        const result = toResult(String(id), await new ProgramRun(program).run());
        await record.finish(result);
        return result;
      } finally {
        await record.release();
      }
    },
  };
}

function parseRunArguments(
  given: unknown,
): { readonly program: string; readonly id: string | undefined } | { readonly issue: string } {
  const { program, id, ...others } = toJsonObject(given);
  if (typeof program !== 'string' || program.trim() === '')
    return { issue: 'Give "program": the body of an async JavaScript function, as one text.' };
  if (id !== undefined && (typeof id !== 'string' || !/^[\w.-]{1,64}$/.test(id)))
    return { issue: 'Give "id" as a text of at most 64 letters, digits, ".", "_" and "-".' };
  const unknown = Object.keys(others)[0];
  if (unknown !== undefined)
    return { issue: `Leave ${JSON.stringify(unknown.slice(0, 60))} out. The tool takes "program" and "id".` };
  return { program, id };
}

function toResult(id: string, { end, calls }: ProgramOutcome): JsonObject {
  const log = end.log.length === 0 ? [] : [{ type: 'text', text: `Log:\n${end.log.join('\n')}` }];
  const meta = { id, calls: calls.length };
  if ('value' in end) {
    const text = end.value ?? 'The program returned nothing.';
    const open = calls.filter(({ ok }) => ok === undefined).map(({ name }) => name);
    const note = `These calls had not ended when the program ended, and their outcome is unknown: ${open.join(', ')}. Await each call.`;
    const notes = open.length === 0 ? [] : [{ type: 'text', text: note }];
    return { content: [{ type: 'text', text }, ...notes, ...log], _meta: { [PROGRAM_META]: meta } };
  }
  const line = 'line' in end && end.line !== undefined ? ` in line ${end.line}` : '';
  const text = `The program failed${line}: ${end.message.replace(/\.$/, '')}.${describeCalls(calls)}`;
  const code = `program/${end.failure}`;
  return { content: [{ type: 'text', text }, ...log], isError: true, _meta: { [PROGRAM_META]: { ...meta, code } } };
}

/** Describes the calls of a failed program, because the model must not repeat their effects. */
function describeCalls(calls: readonly ReportedCall[]): string {
  if (calls.length === 0) return ' It made no calls.';
  const describe = ({ name, ok, code }: ReportedCall) =>
    `${name} (${ok === true ? 'done' : ok === undefined || code === 'call/outcome-unknown' ? 'outcome unknown' : `failed: ${code}`})`;
  const unknown = calls.some(({ ok, code }) => ok === undefined || code === 'call/outcome-unknown');
  const advice = unknown ? ' Check the calls with an unknown outcome before you repeat them.' : '';
  return ` Its calls, which stay in effect: ${calls.map(describe).join(', ')}.${advice}`;
}

/** Creates the definition of the tool that runs programs. */
export function createRunTool(names: MetaToolNames & { readonly run: string }): Tool {
  return {
    name: names.run,
    title: 'Run a program',
    description: `Runs JavaScript that calls tools, and gives only its result. The program is the body of an async function: call with \`await tools.NAME(arguments)\` or \`await call('NAME', arguments)\`, and \`return\` what you need. A call gives the structured content of the tool, or its text. A failed call throws an Error with \`code\` and \`message\`. Find names with ${names.search} and schemas with ${names.describe}: they are not callable inside the program. There is no network, file, timer or import; the clock stands still.`,
    inputSchema: {
      type: 'object',
      properties: {
        program: { type: 'string', description: 'Body of an async function. Use Promise.all for independent calls.' },
        id: {
          type: 'string',
          description:
            'Name of this run. After an interruption, send the same id and program: finished calls are not repeated.',
        },
      },
      required: ['program'],
      additionalProperties: false,
    },
  };
}
