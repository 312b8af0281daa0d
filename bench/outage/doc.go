// Package outage is a proxy in front of an API server that can make the server
// unreachable in several ways, and that counts what a client asks for meanwhile.
//
// A [Proxy] serves HTTPS, with HTTP/2 for clients that offer it, and forwards to
// one backend. [Proxy.Begin] starts an outage of one [Form] and ends what is open;
// [Proxy.End] ends the outage. A client dials through [Proxy.Dial], so that
// connections that are refused are counted too.
//
// One client uses one proxy. [Proxy.Requests] then says what that client has
// asked for, and [Proxy.FirstAnswer] when the server has answered it.
package outage
