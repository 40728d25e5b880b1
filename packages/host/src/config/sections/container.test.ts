// biome-ignore-all lint/suspicious/noTemplateCurlyInString: variables of configurations are written so
import { describe, expect, it } from 'vitest';
import { findDangers } from '../dangerous-commands.js';
import { joinFindingMessages, listFindingCodes, readOne } from '../fixtures/read.js';

const targetOf = async (server: object, env?: Record<string, string>) => {
  const config = await readOne(server, env);
  expect(listFindingCodes(config)).toEqual([]);
  return config.entries[0]?.target;
};

const DEFAULTS = [
  ...['run', '--rm', '--interactive', '--init', '--security-opt', 'no-new-privileges', '--cap-drop', 'ALL'],
  ...['--read-only', '--tmpfs', '/tmp:rw,noexec,nosuid,size=64m'],
  ...['--network', 'none', '--memory', '512m', '--cpus', '1', '--pids-limit', '256'],
];

describe('the short form of a container', () => {
  it('runs an image without privileges, network and writable files, and with limits', async () => {
    expect(await targetOf({ docker: { image: 'ghcr.io/example/notes:1.2' } })).toEqual({
      command: 'docker',
      args: [...DEFAULTS, 'ghcr.io/example/notes:1.2'],
      env: {},
      container: 'tenon-s',
    });
    expect(await targetOf({ podman: { image: 'notes' } })).toMatchObject({ command: 'podman' });
  });

  it('changes the defaults by its members', async () => {
    const docker = {
      image: 'notes',
      args: ['--verbose'],
      network: 'bridge',
      memory: '1g',
      cpus: 2,
      pids: 50,
      user: '1000:1000',
      workdir: '/data',
      readOnly: false,
      tmpfs: ['/cache'],
      volumes: ['./data:/data', '~/shared:/shared:rw', 'named:/var/named'],
      pull: 'never',
    };
    const target = await targetOf({ docker });
    expect(target).toMatchObject({
      args: [
        ...DEFAULTS.slice(0, 8),
        ...['--network', 'bridge', '--memory', '1g', '--cpus', '2', '--pids-limit', '50'],
        ...['--user', '1000:1000', '--workdir', '/data', '--pull', 'never', '--tmpfs', '/cache'],
        ...['--mount', 'type=bind,source=/p/data,target=/data,readonly'],
        ...['--mount', 'type=bind,source=/home/ada/shared,target=/shared'],
        ...['--mount', 'type=volume,source=named,target=/var/named,readonly'],
        ...['notes', '--verbose'],
      ],
    });
  });

  it('passes variables by their names, so that no value is in the arguments', async () => {
    const target = await targetOf({ docker: { image: 'notes', env: { TOKEN: '${T}' } } }, { T: 'hunter22' });
    expect(target).toMatchObject({ args: [...DEFAULTS, '--env', 'TOKEN', 'notes'], env: { TOKEN: 'hunter22' } });
    expect(await targetOf({ docker: { image: 'notes' }, env: { A: 'b' } })).toMatchObject({ env: { A: 'b' } });
  });

  it('passes variables that would change the engine itself as arguments', async () => {
    const target = await targetOf({ docker: { image: 'notes', env: { DOCKER_HOST: 'tcp://x', PATH: '/bin' } } });
    expect(target).toMatchObject({
      args: [...DEFAULTS, '--env', 'DOCKER_HOST=tcp://x', '--env', 'PATH=/bin', 'notes'],
      env: {},
    });
  });

  it('passes values of the caller by the environment', async () => {
    const config = await readOne({ docker: { image: 'notes', env: { WHO: '${caller:user}' } } });
    expect(config.entries[0]).toMatchObject({
      target: { args: [...DEFAULTS, '--env', 'WHO', 'notes'], env: {} },
      perCaller: { env: { WHO: '${caller:user}' } },
    });
  });

  it.each([
    [{ image: '--privileged' }, 'image'],
    [{ image: 'a b' }, 'image'],
    [{ image: 'notes\n' }, 'image'],
    [{ image: '${T}' }, 'image'],
    [{ image: 'notes', network: 'host' }, 'network'],
    [{ image: 'notes', network: 'container:x' }, 'network'],
    [{ image: 'notes', network: '--privileged' }, 'network'],
    [{ image: 'notes', memory: '-1' }, 'memory'],
    [{ image: 'notes', memory: '0' }, 'memory'],
    [{ image: 'notes', cpus: 0 }, 'cpus'],
    [{ image: 'notes', pids: -1 }, 'pids'],
    [{ image: 'notes', user: '-u' }, 'user'],
    [{ image: 'notes', entrypoint: '-c' }, 'entrypoint'],
    [{ image: 'notes', volumes: ['/var/run/docker.sock:/var/run/docker.sock'] }, 'volumes[0]'],
    [{ image: 'notes', volumes: ['-v:/x'] }, 'volumes[0]'],
    [{ image: 'notes', volumes: ['/a,target=/etc:/x'] }, 'volumes[0]'],
    [{ image: 'notes', volumes: ['/a:/b:shared'] }, 'volumes[0]'],
    [{ image: 'notes', tmpfs: ['/x:exec'] }, 'tmpfs'],
  ])('refuses a value that is an option, a privilege or nonsense: %j', async (docker, key) => {
    const config = await readOne({ docker }, { T: '-v/:/x' });
    expect(config.entries).toEqual([]);
    expect(listFindingCodes(config).join()).toContain(`error config/container mcpServers.s.docker.${key}`);
  });

  it('refuses unknown members, and names the long form', async () => {
    const config = await readOne({ docker: { image: 'notes', privileged: true } });
    expect(listFindingCodes(config)).toEqual(['error config/shape mcpServers.s.docker.privileged']);
    expect(joinFindingMessages(config)).toContain(
      'Write other options as a command: "command": "docker", "args": ["run", …]',
    );
  });

  it.each([
    [{ docker: { image: 'a' }, command: 'b' }],
    [{ docker: { image: 'a' }, url: 'https://example.com' }],
    [{ docker: { image: 'a' }, args: ['b'] }],
    [{ docker: { image: 'a' }, podman: { image: 'a' } }],
    [{ docker: { image: 'a', env: { A: '1' } }, env: { B: '2' } }],
    [{ docker: { image: 'a' }, type: 'http' }],
  ])('refuses another target beside it: %j', async server => {
    expect(listFindingCodes(await readOne(server)).join()).toContain('error config/target');
  });

  it('shows a folder of the system as a danger of a project', async () => {
    const config = await readOne({ docker: { image: 'a', volumes: ['/etc:/x'] } }, {}, { scope: 'project' });
    expect(findDangers(config.entries[0]!)).toEqual(['its container reads and writes /etc of this machine']);
  });
});
