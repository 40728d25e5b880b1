/**
 * Some suites are the product of several lists, such as clients, servers and transports. Every run tries a cover of
 * it, in which each element of each list occurs; `npm run test:full` tries the whole product. It also runs the tests that
 * start many processes or wait for long.
 */
const extent = process.env.TENON_TEST_EXTENT;

/** True in a full run. */
export const isFull: boolean = extent === 'full' || extent === 'replicas';

/** True in `npm run test:replicas`, whose faults last for minutes. */
export const isLong: boolean = extent === 'replicas';

/** The elements for part `part` of `parts`: every one of them is in exactly one part. All of them in a full run. */
export const takePart = <T>(list: readonly T[], part: number, parts: number): readonly T[] =>
  isFull ? list : list.filter((_, index) => index % parts === part);

/** The elements that each run tries. All of them in a full run. */
export const takeCover = <T>(list: readonly T[], cover: (element: T) => boolean): readonly T[] =>
  isFull ? list : list.filter(cover);

/** The number of random cases that each run tries: a tenth. All of them in a full run. */
export const takeRuns = (count: number): number => (isFull ? count : Math.ceil(count / 10));
