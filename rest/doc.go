// Package rest is the way from the socket to a typed object: a client for one
// Kubernetes API server.
//
//	 Config          Client                    the way of one answer
//	┌─────────┐     ┌──────────────────────┐
//	│ where   │ New │ GroupVersion ► Request ──► limiter ──► connection ──► server
//	│ who     │ ──► │ NewView     ► View   │       ▲  again?     credentials  │
//	│ how     │     │ NewResource ► Resource       └───────┐     TLS, pools   │
//	└─────────┘     └──────────────────────┘    *Widget ◄── decoder ◄── bytes ┘
//
// What comes in is a [Config]: where the server is and who is asking. What goes
// out are Go values: one object, a list that is decoded while it arrives, a
// watch that is decoded as it is read. There are two ways on from a [Client].
// [NewView] and [NewResource] are typed: give them a Go type and where it is
// served, and they take the place of clientset and dynamic client at once.
// [Client.GroupVersion] is the RESTClient of the documentation, with its
// requests that are built word by word.
//
// # The shortest use
//
//	config, err := rest.InCluster()
//	...
//	client, err := rest.New(config)
//	...
//	defer client.Close()
//
//	var node Node // any struct with json tags
//	err = client.GroupVersion(schema.GroupVersion{Version: "v1"}).
//		Get().Resource("nodes").Name("n1").
//		Do(ctx).Into(&node)
//
// # What is promised
//
// Requests:
//
//   - The first wrong thing that a setter of a [Request] is given is the error
//     of the call that would have sent it. Nothing is sent then.
//   - A piece of a path that the server, or a proxy before it, would read as
//     something else than this one piece is wrong: "", ".", "..", and whatever
//     contains / % ? # or a control character.
//   - What the server answers with an error is an *errors.StatusError of
//     apimachinery, so that apierrors.IsNotFound and the rest work; also when a
//     proxy answers in its place, and when a 200 carries a failure.
//   - Errors say which request it was. They show neither its query nor its
//     headers.
//   - A watch or stream that cannot be opened is an error, and never empty.
//   - Every wait ends at once with the context.
//
// When a request is repeated:
//
//   - The server asks for it, by Retry-After: after a 429, whatever the verb,
//     for then it has done nothing; after a 5xx if repeating cannot do harm:
//     GET, HEAD, OPTIONS, PUT, DELETE, apply, and merge patches that name a
//     resourceVersion. It is never asked again earlier than it said. If its
//     waits would come to more than a minute in all, or pass the caller's
//     deadline, the answer is returned at once.
//   - The connection was lost: GET and HEAD only, for about two seconds. It
//     could not be made at all, so that the server has seen nothing: all verbs.
//     Watches and streams not at all, since who watches has a patience of his
//     own.
//   - At most [Request.MaxRetries] times, 10 unless set, and never if the body
//     is a stream. Each attempt passes the limiter, watches excepted.
//
// A POST is therefore not repeated once the server may have seen it, but for a
// 429. The error of the attempt before is part of the last one's.
//
// There is no limit to the rate of requests unless [Config] sets one: the
// server has its own, and knows how busy it is.
//
// # What client-go calls these things
//
//	here                          client-go
//	Config, Client                rest.Config, rest.HTTPClientFor and the clientset around it
//	Client.GroupVersion           rest.RESTClientFor(&config), one config a group
//	RESTClient, Request, Result   the same, with the same words
//	Client.Get().AbsPath(...)     clientset.Discovery().RESTClient().Get()
//	Result.Get, Request.Watch     the same, as unstructured: there is no scheme
//	RetryOnConflict               util/retry.RetryOnConflict
//	Config.Trace, WithTrace       tools/metrics, and its global registry
//
// What is different: Body takes no file name; Namespace, Name and Resource may
// be repeated with the same value; Resource is not put into lower case, but
// refused; AbsPath and RequestURI stay below the path in Config.Host.
//
// Package listwatch, the next room, is what a View is to a reflector.
package rest
