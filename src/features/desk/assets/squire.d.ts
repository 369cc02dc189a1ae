// The editor is served beside the scripts of the desk, under this name.
export { default } from 'squire-rte'
