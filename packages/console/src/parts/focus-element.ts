/** Focuses an element when it appears, as `ref` of it. */
export const focusElement = (element: HTMLElement | null): void => element?.focus();
