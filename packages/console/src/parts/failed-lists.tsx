import type { ListingView } from '../api.js';
import { Text } from './text.js';

type ListName = ListingView['failedLists'][number]['list'];

const LIST_NAMES: Readonly<Record<ListName, string>> = {
  tools: 'tools',
  resources: 'resources',
  resourceTemplates: 'resource templates',
  prompts: 'prompts',
};

/** Tells which lists the server has not sent, so that an empty list is not taken for a complete one. */
export function FailedLists({
  listing,
  of,
}: {
  readonly listing: ListingView | null;
  /** Lists that the view shows. Absent for all. */
  readonly of?: readonly ListName[];
}) {
  return listing?.failedLists
    .filter(({ list }) => of?.includes(list) ?? true)
    .map(({ list, cause, fix }) => (
      <p key={list} class="issue">
        The server has not sent its {LIST_NAMES[list]}: <Text value={cause} />
        {fix && (
          <>
            . Next step: <Text value={fix} />
          </>
        )}
      </p>
    ));
}

/** Tells if the server has sent all these lists. */
export const hasSent = (listing: ListingView | null, of: readonly ListName[]): boolean =>
  !listing?.failedLists.some(({ list }) => of.includes(list));
