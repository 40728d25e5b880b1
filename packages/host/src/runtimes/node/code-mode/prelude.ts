/**
 * Code that runs in QuickJS before the program. It replaces the clock and the random values by recorded ones, removes
 * the observation of the garbage collection, because a replay would differ, and returns the function that delivers the
 * outcomes of calls.
 *
 * It keeps the built-in functions that it needs, because the program may replace them. Objects of its own have no
 * prototype, so that changes of prototypes do not reach them.
 */
export const PRELUDE = String.raw`(function (host) {
  'use strict';
  const { send, log, done, failed, refused, malformed, seed, time, maxOutput, code } = host;
  const { stringify, parse } = JSON;
  const { defineProperty, create, freeze, setPrototypeOf } = Object;
  const { construct, apply } = Reflect;
  const NativePromise = Promise;
  const NativeError = Error;
  const NativeSyntaxError = SyntaxError;
  const then = Promise.prototype.then;
  const exec = RegExp.prototype.exec;
  const slice = String.prototype.slice;
  const AsyncFunction = (async () => {}).constructor;
  const text = String;

  let state = seed >>> 0;
  Math.random = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };

  const NativeDate = Date;
  const { UTC } = NativeDate;
  const parseDate = NativeDate.parse;
  const localTime = /^\d{4}-\d\d-\d\dT[\d:.]+$/;
  const parseUtc = value => parseDate(apply(exec, localTime, [value]) ? value + 'Z' : value);
  function RecordedDate(...args) {
    if (new.target === undefined) return new NativeDate(time).toUTCString();
    const value = args.length === 0 ? time
      : args.length > 1 ? apply(UTC, undefined, args)
      : typeof args[0] === 'string' ? parseUtc(args[0]) : args[0];
    return construct(NativeDate, [value], new.target);
  }
  RecordedDate.prototype = NativeDate.prototype;
  defineProperty(RecordedDate, 'name', { value: 'Date' });
  defineProperty(NativeDate.prototype, 'constructor', { value: RecordedDate, writable: true, configurable: true });
  RecordedDate.now = () => time;
  RecordedDate.parse = value => parseUtc(text(value));
  RecordedDate.UTC = UTC;
  for (const part of ['FullYear', 'Month', 'Date', 'Day', 'Hours', 'Minutes', 'Seconds', 'Milliseconds']) {
    NativeDate.prototype['get' + part] = NativeDate.prototype['getUTC' + part];
    if (part !== 'Day') NativeDate.prototype['set' + part] = NativeDate.prototype['setUTC' + part];
  }
  NativeDate.prototype.getTimezoneOffset = () => 0;
  NativeDate.prototype.toString = NativeDate.prototype.toUTCString;
  for (const name of ['toDateString', 'toTimeString', 'toLocaleString', 'toLocaleDateString', 'toLocaleTimeString'])
    NativeDate.prototype[name] = NativeDate.prototype.toUTCString;
  globalThis.Date = RecordedDate;
  for (const name of ['WeakRef', 'FinalizationRegistry', 'performance', 'navigator']) delete globalThis[name];

  const pending = create(null);
  let count = 0;
  const call = (name, args) => new NativePromise((resolve, reject) => {
    if (typeof name !== 'string' || name.length > 256)
      throw new TypeError('call(name, arguments): the name is not a string of at most 256 characters');
    const json = args === undefined ? '{}' : stringify(args);
    if (json === undefined || json[0] !== '{')
      throw new TypeError('call(name, arguments): the arguments of ' + name + ' are not an object');
    if (json.length > maxOutput)
      throw new RangeError('the arguments of ' + name + ' have ' + json.length + ' characters of JSON. The limit is ' + maxOutput);
    const at = new NativeError().stack;
    const entry = create(null);
    entry.resolve = resolve;
    entry.reject = reject;
    entry.stack = at;
    pending[count] = entry;
    count += 1;
    send(name, json);
  });
  const handler = create(null);
  handler.get = (_, name) => typeof name === 'string' && name !== 'then' ? args => call(name, args) : undefined;
  const tools = new Proxy(freeze(create(null)), handler);
  const show = value => {
    if (typeof value === 'string') return value;
    try {
      return stringify(value) ?? text(value);
    } catch {
      return typeof value === 'bigint' ? text(value) : '(a value that JSON cannot contain)';
    }
  };
  const write = (...values) => {
    let line = '';
    for (let i = 0; i < values.length; i++) line += (i > 0 ? ' ' : '') + show(values[i]);
    log(line.length > 4000 ? apply(slice, line, [0, 4000]) : line);
  };
  const console = create(null);
  for (const level of ['log', 'info', 'warn', 'error', 'debug']) console[level] = write;

  const compile = () => {
    const start = new RegExp('^\\s*(async\\b|function\\b|\\()');
    if (apply(exec, start, [code])) {
      try {
        return [new AsyncFunction('tools', 'call', 'console', 'return (' + code + '\n)'), true];
      } catch (error) {
        if (!(error instanceof NativeSyntaxError)) throw error;
      }
    }
    return [new AsyncFunction('tools', 'call', 'console', code), false];
  };
  const finish = value => {
    const json = value === undefined ? undefined : stringify(value);
    if (json !== undefined && json.length > maxOutput)
      return refused('its result has ' + json.length + ' characters of JSON. The limit is ' + maxOutput + '. Return less, for example only the members that you need');
    done(json);
  };
  const start = () => {
    let compiled;
    try {
      compiled = compile();
    } catch (error) {
      return malformed(error);
    }
    let work = compiled[0](tools, call, console);
    if (compiled[1])
      work = apply(then, work, [value => typeof value === 'function' ? value(tools, call, console) : value]);
    apply(then, apply(then, work, [finish]), [undefined, failed]);
  };
  start();
  return (index, ok, json) => {
    const entry = pending[index];
    if (entry === undefined) return;
    delete pending[index];
    if (ok) {
      let value;
      try {
        value = parse(json);
      } catch (error) {
        return entry.reject(error);
      }
      return entry.resolve(value);
    }
    const problem = parse(json);
    const error = new NativeError(problem.message);
    error.name = 'ToolError';
    error.tool = problem.tool;
    error.code = problem.code;
    if (problem.result !== undefined) error.result = problem.result;
    defineProperty(error, 'stack', { value: entry.stack, configurable: true, writable: true });
    entry.reject(error);
  };
})`;
