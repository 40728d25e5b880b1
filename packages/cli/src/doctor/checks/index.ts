import type { Check } from '../check.js';
import { annotationsCheck } from './annotations.js';
import { authorizationCheck } from './authorization.js';
import { budgetCheck } from './budget.js';
import { cacheCheck } from './cache.js';
import { callsCheck } from './calls.js';
import { cancellationCheck } from './cancellation.js';
import { connectionCheck } from './connection.js';
import { corsCheck } from './cors.js';
import { latencyCheck } from './latency.js';
import { namesCheck } from './names.js';
import { originCheck } from './origin.js';
import { pathCheck } from './path.js';
import { resumeCheck } from './resume.js';
import { schemasCheck } from './schemas.js';
import { stdioCheck } from './stdio.js';
import { textsCheck } from './texts.js';
import { tlsCheck } from './tls.js';
import { transportCheck } from './transport.js';
import { versionsCheck } from './versions.js';

/** All checks, in the order of the report. */
export const checks: readonly Check[] = [
  connectionCheck,
  pathCheck,
  tlsCheck,
  transportCheck,
  corsCheck,
  originCheck,
  versionsCheck,
  authorizationCheck,
  resumeCheck,
  cancellationCheck,
  cacheCheck,
  schemasCheck,
  namesCheck,
  textsCheck,
  annotationsCheck,
  budgetCheck,
  callsCheck,
  latencyCheck,
  stdioCheck,
];
