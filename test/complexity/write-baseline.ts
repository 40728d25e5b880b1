/** Measures the workloads, and writes `baseline.json`. Run it after a change that is meant to cost more or less. */
import { nodeVersion, takeSmallest, writeBaseline } from './baseline.js';
import { readBytes, readSteps } from './measurements.js';

const steps = takeSmallest(await readSteps());
const bytes = takeSmallest(await readBytes());
writeBaseline({ node: nodeVersion, steps, bytes });
