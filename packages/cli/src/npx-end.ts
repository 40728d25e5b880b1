import { readFileSync } from 'node:fs';

/** Interval of looks at the parent process, in milliseconds. */
const INTERVAL = 1000;

/** The surroundings of this process. */
export interface ProcessFamily {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Returns the ID of the parent process. */
  getParent(): number;
  /** Returns the name of a process and the ID of its parent, on Linux. */
  describe(pid: number): { readonly name: string; readonly parent: number } | undefined;
}

const ownFamily: ProcessFamily = {
  env: process.env,
  getParent: () => process.ppid,
  describe(pid) {
    try {
      const [, name = '', parent] = /^\d+ \((.*)\) \S (\d+)/s.exec(readFileSync(`/proc/${pid}/stat`, 'utf8')) ?? [];
      return { name, parent: Number(parent) };
    } catch {
      return undefined;
    }
  },
};

/**
 * Calls a function when the `npx` that runs this command has ended. npm starts a shell for the command and does not pass
 * signals on to the command itself, which would go on and keep its port. Returns a function that stops looking.
 */
export function watchNpx(onEnd: () => void, family: ProcessFamily = ownFamily): () => void {
  const { npm_lifecycle_event: event, npm_lifecycle_script: script = '' } = family.env;
  // Other programs that `npx` started, such as a process manager, may end before the command.
  if (event !== 'npx' || !/(^|[/@'"])tenon\b/.test(script)) return () => {};
  const parents = listParents(family);
  const timer = setInterval(() => {
    if (listParents(family).join() === parents.join()) return;
    clearInterval(timer);
    onEnd();
  }, INTERVAL);
  timer.unref();
  return () => clearInterval(timer);
}

/** Lists the parent, and npm as the parent of its shell. Without a shell, the parent is npm itself. */
function listParents({ getParent, describe }: ProcessFamily): readonly number[] {
  const parent = getParent();
  const described = describe(parent);
  return described !== undefined && /^(sh|dash|bash|ash|zsh)$/.test(described.name)
    ? [parent, described.parent]
    : [parent];
}
