// Package transport sends HTTP requests to one API server. It opens the connections,
// verifies the server and adds the credentials. It knows nothing about the contents of
// requests and responses.
//
//	request ──► Connection.Do ──► headers, credentials ──► redirects ──► pool of connections ──► server
//	                                    ▲                                      ▲
//	                      token, token file, plugin              certificate files, plugin
//
// Input: a [Config], which package rest builds from a rest.Config and has validated,
// and requests whose URL has the scheme and host of Config.Base.
//
// Output: the response of the server with any status, or an error. The body of a
// response is read as it arrives.
//
// Promises:
//
//   - Credentials are sent to this server only. A redirect to another server is an
//     error, and an https proxy receives neither the token nor the client certificate.
//   - Errors and logs show no credentials: no token, no password, no query of a URL, no
//     output of a plugin.
//   - Watches and short requests use different connections, so that watches do not
//     delay other requests.
//   - A changed certificate or token file is used without a restart. Requests in
//     progress continue on their connections.
//   - A 401 repeats the request once if there are newer credentials. There are no
//     other retries, except for those of net/http, whose number is bounded.
//   - The context of a request ends the request and the reads of its body.
//     [Connection.Close] ends all requests and plugins, and returns when no goroutine
//     of the connection is left.
package transport
