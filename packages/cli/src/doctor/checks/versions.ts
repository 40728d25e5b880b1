import { describeError } from '../../error-hints.js';
import type { Check, VersionOutcome } from '../check.js';
import type { Finding } from '../finding.js';
import { getSpecificationPage } from '../finding.js';

/** Codes of errors with which a client correctly concludes that a version is not supported. */
const REFUSALS = ['connect/no-shared-version', 'connect/no-known-version'];

/** Examines each protocol version: supported, refused properly, or answered wrongly. */
export const versionsCheck: Check = {
  id: 'versions',
  title: 'Protocol versions',
  requires: 'connection',
  run({ versions }, { ok, info, warning, problem }) {
    const supported = versions.filter(({ error }) => error === undefined);
    const newest = versions[0];
    const findings: Finding[] = [
      ok('supported', `supports ${supported.map(({ version }) => version).join(', ')}`),
      ...versions.filter(isWrong).map(({ version, error }) =>
        problem(version, `the answer to a client of ${version} is wrong`, {
          seen: `${error?.code}: ${error?.message ?? ''}`.slice(0, 300),
          cause: 'such clients cannot conclude which versions the server supports',
          fix: 'answer `initialize` with a supported version, and stateless requests with -32022 and the supported versions',
          spec: getSpecificationPage('basic/versioning'),
        }),
      ),
    ];
    for (const { version, pingError } of versions)
      if (pingError)
        findings.push(
          warning('ping', `\`ping\` fails in ${version}`, {
            seen: describeError(pingError),
            cause: 'hosts ping servers to find lost connections, and close those that do not answer',
            fix: 'answer `ping` with an empty result',
            spec: getSpecificationPage('basic/utilities/ping', version),
            rpcCode: pingError.rpcCode,
            data: pingError.data,
          }),
        );
    if (newest?.error !== undefined && REFUSALS.includes(newest.error.code))
      findings.push(
        info('newest', `does not support ${newest.version}, the newest version`, {
          spec: getSpecificationPage('changelog'),
        }),
      );
    return findings;
  },
};

const isWrong = ({ error }: VersionOutcome): boolean => error !== undefined && !REFUSALS.includes(error.code);
