import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { getProgram, hasPrograms } from '../../scripts/optional-programs.mjs';

const folder = fileURLToPath(new URL('../../examples/replicas', import.meta.url));
const read = (name: string) => readFileSync(join(folder, name), 'utf8');
const options = JSON.parse(read('serve.json'));

/** Converts a time of `serve.json` to seconds. */
const toSeconds = (text: string) => Number(/^(\d+)s$/.exec(text)?.[1]);

interface Probe {
  readonly httpGet: { readonly path: string; readonly port: string };
}

describe('the files of examples/replicas', () => {
  it.skipIf(!hasPrograms('haproxy'))('are a valid configuration of HAProxy', () => {
    const addresses = { REPLICA_ONE: '127.0.0.1:3001', REPLICA_TWO: '127.0.0.1:3002', REPLICA_THREE: '127.0.0.1:3003' };
    const env = { ...process.env, LISTEN: '127.0.0.1:8080', ...addresses };
    const { status, stderr } = spawnSync(getProgram('haproxy'), ['-c', '-f', 'haproxy.cfg'], {
      cwd: folder,
      env,
      encoding: 'utf8',
    });
    expect({ status, alerts: /ALERT|WARNING/.test(stderr) }).toEqual({ status: 0, alerts: false });
  });

  it('start the same server with ports and variables that agree', () => {
    const { services, volumes } = parse(read('compose.yaml'), { merge: true });
    expect(Object.keys(services)).toEqual(['one', 'two', 'three', 'redis', 'haproxy']);
    for (const name of ['one', 'two', 'three']) {
      expect(Object.keys(services[name].environment)).toEqual([options.storeEnv, options.keysEnv]);
      expect(services.haproxy.environment[`REPLICA_${name.toUpperCase()}`]).toBe(`${name}:${options.port}`);
      expect(services[name].healthcheck.test.join(' ')).toContain(`:${options.port}/healthz`);
      const limit = toSeconds(options.drainDelay) + toSeconds(options.drainTimeout);
      expect(toSeconds(services[name].stop_grace_period)).toBeGreaterThan(limit + 10);
    }
    expect(services.haproxy.environment.LISTEN).toBe('*:8080');
    expect(services.haproxy.ports).toEqual(['127.0.0.1:8080:8080']);
    for (const variable of read('haproxy.cfg').matchAll(/\$\{(\w+)\}/g))
      expect(Object.keys(services.haproxy.environment)).toContain(variable[1]);
    expect(Object.keys(volumes)).toEqual(['redis']);
  });

  it('drain longer than HAProxy needs to detect it [so.drain]', () => {
    const configuration = read('haproxy.cfg');
    const [, interval = '', fall = ''] = /check inter (\d+) fall (\d+)/.exec(configuration) ?? [];
    expect(toSeconds(options.drainDelay) * 1000).toBeGreaterThan(2 * Number(interval) * Number(fall));
    expect(configuration).toContain('meth GET uri /readyz');
    expect(configuration).toContain(`X-Real-IP`);
    expect(options.clientAddressHeader).toBe('x-real-ip');
  });

  it('contain probes, ports and times for Kubernetes that agree with the server', () => {
    const [deployment, service, budget] = parseAllDocuments(read('kubernetes.yaml')).map(each => each.toJS());
    const { terminationGracePeriodSeconds: grace, containers } = deployment.spec.template.spec;
    const [container] = containers;
    expect(container.ports).toEqual([{ name: 'http', containerPort: options.port }]);
    const probes: Record<string, Probe> = {
      startup: container.startupProbe,
      liveness: container.livenessProbe,
      readiness: container.readinessProbe,
    };
    const paths = Object.entries(probes).map(([name, { httpGet }]) => [name, httpGet.path, httpGet.port]);
    expect(paths).toEqual([
      ['startup', '/healthz', 'http'],
      ['liveness', '/healthz', 'http'],
      ['readiness', '/readyz', 'http'],
    ]);
    const preStop = Number(container.lifecycle.preStop.exec.command[1]);
    expect(grace).toBeGreaterThanOrEqual(
      preStop + toSeconds(options.drainDelay) + toSeconds(options.drainTimeout) + 10,
    );
    expect(container.env.map(({ name }: { name: string }) => name)).toEqual([options.storeEnv, options.keysEnv]);
    for (const selector of [
      service.spec.selector,
      budget.spec.selector.matchLabels,
      deployment.spec.selector.matchLabels,
    ])
      expect(selector).toEqual(deployment.spec.template.metadata.labels);
    expect(budget.spec.minAvailable).toBeLessThan(deployment.spec.replicas);
  });

  it('start the command itself in the container, so that it gets SIGTERM', () => {
    const [, command = ''] = /^CMD (.+)$/m.exec(read('Dockerfile')) ?? [];
    expect(JSON.parse(command)).toEqual(['node_modules/.bin/tenon', 'serve', '--config', 'serve.json']);
    const { dependencies } = JSON.parse(read('package.json'));
    const { devDependencies } = JSON.parse(readFileSync(join(folder, '../../package.json'), 'utf8'));
    for (const name of ['@redis/client', 'zod']) expect(dependencies[name]).toBe(`^${devDependencies[name]}`);
    const { version } = JSON.parse(readFileSync(join(folder, '../../packages/tenon/package.json'), 'utf8'));
    for (const name of ['tenon', '@tenon/cli']) expect(dependencies[name]).toBe(`^${version}`);
  });
});
