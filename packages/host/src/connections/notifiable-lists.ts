/** The lists whose changes a server reports. */
export const NOTIFIABLE_LISTS = ['tools', 'prompts', 'resources'] as const;

/** A list whose changes a server reports. */
export type NotifiableList = (typeof NOTIFIABLE_LISTS)[number];
