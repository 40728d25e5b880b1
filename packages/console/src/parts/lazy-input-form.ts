import { createLazyView } from './lazy-view.js';

/** An open input request. Its code is loaded with the first one. */
export const LazyInputForm = createLazyView(async () => (await import('./input-form.js')).InputForm);
