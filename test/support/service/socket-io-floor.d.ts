/** The oldest server that the client must support; its package does not export its types. */
declare module 'socket.io-floor' {
  export { Server } from 'socket.io'
}
