// @ts-check
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { runtimes } from '../../scripts/runtimes.mjs';
import { startServer } from './processes.mjs';

/**
 * Serves a bundled Worker with the real `workerd serve`, on a free port of loopback.
 * @param {string} folder of the project
 * @param {string} worker the name of its bundle
 */
export async function serveWorker(folder, worker) {
  const config = join(folder, `${worker}.capnp`);
  await writeFile(config, configOf(worker));
  const args = ['serve', config, '--control-fd=3'];
  return startServer(runtimes.workerd, args, { cwd: folder, speaksOn: 'control' });
}

/** @param {string} worker */
const configOf = worker => `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [(name = "main", worker = .worker)],
  sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = "main")],
);
const worker :Workerd.Worker = (
  modules = [(name = "main", esModule = embed "bundles/${worker}.js")],
  compatibilityDate = "2026-06-01",
);
`;
