/** Returns an object with other implementations of some members. Optional members and getters stay as they are. */
export function replaceMembers<T extends object>(
  target: T,
  members: { readonly [K in keyof T]?: T[K] | undefined },
): T {
  return new Proxy(target, {
    get(object, name) {
      const member: unknown = Object.hasOwn(members, name) ? Reflect.get(members, name) : undefined;
      if (member !== undefined) return member;
      const value: unknown = Reflect.get(object, name, object);
      return typeof value === 'function' ? value.bind(object) : value;
    },
  });
}
