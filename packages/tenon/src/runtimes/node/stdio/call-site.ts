const STACK_DEPTH = 30;
// Formats: `at name (place)`, `at place` or `at async place`. The place of Node's own code begins with `node:`.
const FRAME_LOCATION = /(?:\(|^at (?:async )?)((?:file:\/\/|\/|[A-Za-z]:[\\/]).*:\d+:\d+)\)?$/;

type Callable = (...args: never[]) => unknown;

/** Returns the code location that called `callee`, without Node's own frames: `file:line:column`. */
export function findCallSite(callee: Callable): string | undefined {
  const { stackTraceLimit } = Error;
  const trace: { stack?: string } = {};
  Error.stackTraceLimit = STACK_DEPTH;
  Error.captureStackTrace(trace, callee);
  const frames = String(trace.stack).split('\n').slice(1);
  Error.stackTraceLimit = stackTraceLimit;
  const locations = frames.map(frame => FRAME_LOCATION.exec(frame.trim())?.[1]);
  const place = locations.find(location => location !== undefined);
  return place?.startsWith('file://') ? decodeURI(place.slice(7)).replace(/^\/([A-Za-z]:)/, '$1') : place;
}
