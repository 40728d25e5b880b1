import type { ComponentType } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { describeFailure } from '../request.js';

/** Creates a component whose code is loaded when it is shown for the first time. */
export function createLazyView<P extends object>(load: () => Promise<ComponentType<P>>): ComponentType<P> {
  let loaded: ComponentType<P> | undefined;
  return function LazyView(props: P) {
    const [error, setError] = useState('');
    const [, setLoaded] = useState(false);
    useEffect(() => {
      if (loaded) return;
      load().then(
        component => {
          loaded = component;
          setLoaded(true);
        },
        thrown => setError(describeFailure(thrown).cause),
      );
    }, []);
    const View = loaded;
    if (View) return <View {...props} />;
    return (
      <div class="view">
        <p class="empty">{error === '' ? '…' : `${error}. Reload the page.`}</p>
      </div>
    );
  };
}
