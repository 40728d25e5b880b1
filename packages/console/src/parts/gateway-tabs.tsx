import { hello } from '../console-state.js';

/** Views of a gateway, by the last part of their address. The first one has none. */
const TABS = ['', 'policy', 'lock', 'audit'] as const;
export type GatewayTab = (typeof TABS)[number];

/** The heading of the views of a gateway, with links to all of them. */
export const GatewayTabs = ({ current }: { readonly current: GatewayTab }) => (
  <header class="gateway-head">
    <h1>Gateway</h1>
    {hello.value?.isGateway !== false && (
      <nav class="server-tabs" aria-label="Views of the gateway">
        {TABS.map(tab => (
          <a
            key={tab}
            href={tab === '' ? '/gateway' : `/gateway/${tab}`}
            aria-current={tab === current ? 'page' : undefined}
          >
            {tab === '' ? 'servers' : tab}
          </a>
        ))}
      </nav>
    )}
  </header>
);
