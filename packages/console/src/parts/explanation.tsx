import type { PolicyAction } from '../api.js';
import { Icon, type IconName } from './icons.js';
import { Text } from './text.js';

const ACTION_ICONS: Readonly<Record<PolicyAction, IconName>> = { allow: 'ok', ask: 'waiting', deny: 'refused' };

/** Action of a policy, with its drawing. */
export const PolicyActionView = ({ action }: { readonly action: PolicyAction }) => (
  <span class={`state ${ACTION_ICONS[action]}`}>
    <Icon name={ACTION_ICONS[action]} /> {action}
  </span>
);

/** The text of `tenon policy explain`, one line for each rule. The rule that decides and the decision stand out. */
export const Explanation = ({ text }: { readonly text: string }) => (
  <div class="explanation mono">
    {text.split('\n').map((line, index) => (
      <div key={index} class={index > 0 && (line.endsWith(': fits') || line.startsWith('→')) ? 'strong' : undefined}>
        <Text value={line} />
      </div>
    ))}
  </div>
);
