/**
 * The names of `node:http` that the service uses. An `import` of the module would load every name of it, among them a client that nobody here uses and
 * that costs 30 ms and 4 MB at each start.
 */
export const { Agent, createServer, request, get, STATUS_CODES } = process.getBuiltinModule('node:http')
