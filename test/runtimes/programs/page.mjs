/** What the page runs: the client alone, with whatever `fetch` the browser has. */
import { connect } from 'tenon';
import { smoke } from './smoke.mjs';

globalThis.smoke = way => smoke(connect, way);
