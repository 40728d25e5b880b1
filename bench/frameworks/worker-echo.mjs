// @ts-check
import { echo } from './echo.mjs';

export default { fetch: echo };
