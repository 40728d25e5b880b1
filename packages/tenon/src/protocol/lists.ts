/** The lists whose changes a server reports. */
export const LISTS = ['tools', 'prompts', 'resources'] as const;

/** A list whose changes a server reports. */
export type ListName = (typeof LISTS)[number];

/** Returns the list of whose change a notification reports, if it does. */
export const findChangedList = (method: string): ListName | undefined =>
  LISTS.find(list => method === `notifications/${list}/list_changed`);
