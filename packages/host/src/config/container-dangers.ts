const PROGRAMS = /^(?:docker|podman|nerdctl|finch|docker-compose)(?:\.exe)?$/i;
/** Options that give a container rights of the host. */
const PRIVILEGES =
  /^--(?:privileged|cap-add|device|device-cgroup-rule|security-opt|volumes-from|use-api-socket|env-file|add-host|dns)(?:=|$)/;
const HOST_NAMESPACE = /^--(?:net|network|pid|ipc|uts|userns|cgroupns)(?:=host$|$)/;
const MOUNTS = /^(?:-v|--volume|--mount)(?:=|$)|^-v(?=.)/;
/** Folders of the host whose content controls the host, or contains secrets of all programs. */
const SENSITIVE_FOLDER =
  /^(?:\/|~|\$HOME|\$\{HOME\}|[A-Za-z]:[\\/]?|\/(?:etc|root|home|proc|sys|dev|boot|var|var\/run|run|usr|bin|sbin|lib|Users)(?:\/[^/]*)?)\/?$/;

/** Finds options that let a container act on its host. Any program name is accepted for the socket of a container engine. */
export function findContainerDangers(program: string, args: readonly string[]): string[] {
  const socket = args.some(each => /(?:docker|podman|containerd|crio)\.sock|docker_engine/i.test(each));
  const escapes = socket || args.some(each => /^--privileged(?:=|$)/.test(each)) ? ['it leaves its container'] : [];
  if (!PROGRAMS.test(program)) return escapes;
  const options = args.flatMap((each, at) => findOptionDanger(each, args[at + 1] ?? ''));
  return [...escapes, ...new Set(options)];
}

function findOptionDanger(option: string, next: string): string[] {
  const [name = '', assigned] = option.split(/=(.*)/s);
  // This option takes rights away.
  if (name === '--security-opt' && /^no-new-privileges(?:[:=]true)?$/.test(assigned ?? next)) return [];
  if (PRIVILEGES.test(option)) return [`its container gets rights of this machine: ${name.slice(0, 50)}`];
  if (HOST_NAMESPACE.test(option) && (option.includes('=') || next === 'host'))
    return [`its container shares the ${name.slice(2)} of this machine`];
  if (!MOUNTS.test(option)) return [];
  const value = option.includes('=') && option.startsWith('--') ? option.slice(option.indexOf('=') + 1) : next;
  const mount = /^-v./.test(option) ? option.slice(2) : value;
  const source = /(?:^|,)(?:source|src)=([^,]*)/.exec(mount)?.[1] ?? /^((?:[A-Za-z]:)?[^:]*)/.exec(mount)?.[1] ?? '';
  return SENSITIVE_FOLDER.test(source) ? [`its container reads and writes ${source.slice(0, 50)} of this machine`] : [];
}
