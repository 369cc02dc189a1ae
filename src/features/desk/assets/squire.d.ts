// The types of the editor, which is served as `squire.js`.
export { default } from 'squire-rte'
