// @ts-check
/** What a runtime of `fetch` handlers does with JSON by itself. @param {Request} request */
export const echo = async request => /** @type {any} */ (Response).json(await request.json());
