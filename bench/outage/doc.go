// Package outage has a proxy in front of an API server that makes the server
// unreachable in several ways, and counts the requests of a client in the meantime.
//
// A [Proxy] serves HTTPS, with HTTP/2 for clients that support it, and forwards
// requests to one backend. [Proxy.Begin] starts an outage of one [Form] and ends open
// requests or connections. [Proxy.End] ends the outage. A client dials with
// [Proxy.Dial], so that refused connections are counted too.
//
// Each client has its own proxy. [Proxy.Requests] counts the requests of this client,
// and [Proxy.FirstAnswer] returns when the server first answered it.
package outage
