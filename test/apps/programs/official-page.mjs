/** Page with the official bridge. */
import { App } from '@modelcontextprotocol/ext-apps/app-with-deps';

const seen = [];
const app = new App({ name: 'official', version: '1.0.0' }, { availableDisplayModes: ['inline', 'fullscreen'] });
app.ontoolinput = params => seen.push(['input', params.arguments]);
app.ontoolresult = result => seen.push(['result', result.content]);
app.onteardown = () => ({});
await app.connect();
Object.assign(globalThis, { app, seen });
