/** Imports a package. Returns `undefined` if it is not installed. */
export async function importDriver<T>(name: string): Promise<T | undefined> {
  try {
    return await import(name);
  } catch (error) {
    if (error instanceof Error && error.message.includes(`'${name}'`)) return undefined;
    throw error;
  }
}
