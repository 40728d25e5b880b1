/** A process whose standard streams are a socket: who starts it talks with whoever listens at the port in its argument. */
import { connect } from 'node:net';

const socket = connect({ port: Number(process.argv[2]), host: '127.0.0.1', noDelay: true });
process.stdin.pipe(socket);
socket.pipe(process.stdout);
socket.on('error', () => process.exit(1));
socket.on('close', () => process.exit(0));
