// Package listener accepts the connections of a test server: TCP connections, or
// pipes without a socket.
//
// The input is an address and two functions: one serves a net.Listener, the other
// decides about each new connection. The output is connections that can be frozen
// and reset.
//
//   - While a [Listener] is suspended, dials are refused. It resumes at the same
//     address: on TCP it keeps its port with a connection to itself.
//   - A frozen [Connection] neither reads nor writes, and is not closed.
//   - Pipes work in a testing/synctest bubble.
//   - [Certificates] are valid for the address, and can be replaced while the server
//     runs.
//   - [ActiveConnections] counts what must end before the server is closed.
//
// The package does not depend on HTTP requests or on the API.
package listener
