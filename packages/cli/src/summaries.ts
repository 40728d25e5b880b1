/** Summaries of the commands, in the order of the help. They are here so that the help loads no command. */
export const summaries = {
  list: 'list the tools, resources and prompts of a server',
  call: 'call a tool',
  answer: 'answer the question of a call that waits, and continue the call',
  read: 'read a resource',
  prompt: 'get a prompt',
  complete: 'complete an argument of a prompt, or a variable of a resource template',
  subscribe: 'print changes of resources and lists as lines of JSON, until Ctrl-C',
  skills: 'list and read the skills of a server',
  tasks: 'list, get and cancel tasks of a server, and wait for their results',
  types: 'write the TypeScript types of a server',
  generate: 'write a program from the definitions of a server',
  init: 'create a project of a server, with a test',
  dev: 'run a server module, and reload it when a file changes',
  'import-openapi': 'write a server for the operations of an OpenAPI document',
  record: 'record the messages between a client and a server',
  replay: 'answer as a recorded server, or send the recorded requests to a server',
  mock: 'serve a mock of a server, from a recording or a list of its tools',
  doctor: 'examine a server, and report problems with their causes and fixes',
  conformance: 'run the official conformance suite against a server or a client',
  search: 'find servers in a registry',
  add: 'add a server to the configurations of MCP hosts',
  remove: 'remove a server from the configurations of MCP hosts',
  sync: 'give MCP hosts the servers of another host or file',
  serve: 'serve a server module in production, over HTTP or stdio',
  gateway: 'serve all servers of a configuration as one MCP server',
  bridge: 'connect a stdio client to an HTTP server, or HTTP clients to a stdio server',
  lock: 'record what servers offer in a lock file, and report changes',
  policy: 'check and explain policy files',
  approvals: 'answer the questions of a gateway, and revoke remembered approvals',
  store: 'maintain the store of servers and gateways',
  audit: 'show and verify audit logs',
  daemon: 'keep servers open between commands that have the option --keep',
  agent: 'teach agents to use this command',
  schema: 'print the JSON Schema of what a command prints with --json',
  completion: 'print the script that completes words in a shell',
} as const;

export const OTHER_COMMANDS = 'Other commands:';

/** Headings of the help, each above the command that it begins with. */
export const headings: Partial<Record<keyof typeof summaries, string>> = {
  list: 'Use servers:',
  init: 'Develop and test servers:',
  search: 'Install servers in hosts:',
  serve: 'Serve and guard servers:',
  daemon: OTHER_COMMANDS,
};
