// The types of the editor, which is served as `squire.js` in the folder of the desk's scripts.
export { default } from 'squire-rte'
