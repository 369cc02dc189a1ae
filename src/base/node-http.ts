/**
 * The module `node:http` without its namespace. An import of it would ask for each of its names, and one of them is a client that nobody here uses:
 * loading that takes 30 ms of each start, and 4 MB.
 */
export const { Agent, createServer, request, get, STATUS_CODES } = process.getBuiltinModule('node:http')
