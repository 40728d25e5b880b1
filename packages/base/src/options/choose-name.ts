/** Returns a name that is not in use: the wanted one, or the first free one with a number from 2. */
export function chooseName(wanted: string, separator: string, isUsed: (name: string) => boolean): string {
  let name = wanted;
  for (let count = 2; isUsed(name); count += 1) name = `${wanted}${separator}${count}`;
  return name;
}
