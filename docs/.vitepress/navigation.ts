/** Pages in the order in which the sidebar lists them: title, then path without extension. */
export const sections: Record<string, Record<string, string>> = {
  Start: {
    'Why Tenon': 'start/why',
    Install: 'start/install',
    'First server': 'start/first-server',
    'Connect to a host': 'start/connect',
    'First client': 'start/first-client',
  },
  Servers: {
    Tools: 'servers/tools',
    Resources: 'servers/resources',
    'Prompts and completion': 'servers/prompts',
    'The context': 'servers/context',
    Elicitation: 'servers/elicitation',
    'Sampling and roots': 'servers/sampling-and-roots',
    'Progress and logging': 'servers/progress-and-logging',
    Errors: 'servers/errors',
    'Middleware and state': 'servers/middleware',
    Steps: 'servers/steps',
    Tasks: 'servers/tasks',
    Testing: 'servers/testing',
  },
  Deploy: {
    HTTP: 'deploy/http',
    Stores: 'deploy/stores',
  },
  Authorization: {
    'Protect a server': 'authorization/protect-a-server',
    'Sign in': 'authorization/sign-in',
    'Machine to machine': 'authorization/machine-to-machine',
    'Run an authorization server': 'authorization/issuer',
  },
  'Hosts and gateways': {
    Host: 'hosts/host',
    Policy: 'hosts/policy',
    Lock: 'hosts/lock',
    Gateway: 'hosts/gateway',
    Bridge: 'hosts/bridge',
    'AI SDK': 'hosts/ai-sdk',
  },
  Recipes: {
    'Move from the official SDK v1': 'recipes/from-sdk-v1',
    'Move from the official SDK v2': 'recipes/from-sdk-v2',
  },
  Concepts: {
    'Protocol versions': 'concepts/versions',
    'Input requests': 'concepts/input-requests',
    'Run handlers again': 'concepts/steps',
  },
  Reference: {
    API: 'reference/api/index',
    'Error codes': 'reference/errors',
    'Durations and limits': 'reference/limits',
  },
  Project: {
    Architecture: 'architecture',
    Benchmarks: 'benchmarks',
    Dependencies: 'dependencies',
    Roadmap: 'roadmap',
  },
};
