export { runToEnd } from '../model/sliced.ts'
