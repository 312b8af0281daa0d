// Package rest is the way from the socket to a typed object: a client for one
// Kubernetes API server.
//
// A [Config] says where the server is and who is asking; [New] makes a [Client]
// of it. There are two ways on from there. [NewView] and [NewResource] are
// typed: give them a Go type and where it is served, and they take the place of
// clientset and dynamic client at once. [Client.GroupVersion] is the RESTClient
// of the documentation, with its fluent requests.
package rest
