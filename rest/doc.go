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
// Or, typed, with a struct that has only the fields that are wanted:
//
//	type Node struct {
//		rest.SlimMeta `json:"metadata"`
//		Spec          struct {
//			PodCIDR string `json:"podCIDR"`
//		} `json:"spec"`
//	}
//
//	nodes := rest.NewView[*Node](client, rest.ResourceInfo{
//		GroupVersionResource: schema.GroupVersionResource{Version: "v1", Resource: "nodes"},
//	})
//	list, err := nodes.List(ctx, metav1.ListOptions{})
//	...
//	for node, err := range list.Items() { // each as it arrives
//		...
//	}
//	watch, err := nodes.Watch(ctx, metav1.ListOptions{ResourceVersion: list.ResourceVersion()})
//
// # Which type to ask for
//
// T is a pointer to a struct, and no more than its json tags is needed: no
// scheme, no DeepCopyObject, no list type. A type of k8s.io/api is decoded from
// protobuf where the server has it. A struct of one's own, with
// metav1.TypeMeta and metav1.ObjectMeta, is what a custom resource needs. A slim
// struct, with [SlimMeta] and a few fields, is the cheapest to decode and to
// keep: what it does not have is skipped, not built and thrown away.
// *metav1.PartialObjectMetadata asks the server for metadata only, and
// *unstructured.Unstructured takes whatever comes.
//
// # What is promised
//
// Lists and watches:
//
//   - An object goes from the response to its Go type once: there is no buffer
//     of a whole response, no tree of maps in between, no goroutine. It keeps
//     nothing else alive: not the page, not the bytes that it came in.
//   - All pages of a list are one state of the collection; see [ErrRestarted]
//     for what happens when the server has forgotten it. A list that has not
//     ended well has no version.
//   - An object that cannot be decoded costs itself, and says which it is: see
//     [ItemError].
//   - What is too large, too deep, cut off, or not what its content type says is
//     an error that says what and where.
//   - managedFields are skipped, unless [DecodeOptions] ask for them. Get and
//     the writes return them.
//   - Field names are taken as they are written, upper and lower case apart. Of
//     a name that comes twice the last one counts.
//   - Update does not drop fields in silence: see [ErrWouldDropFields].
//
// Requests:
//
//   - The first wrong thing that a setter of a [Request] is given is the error
//     of the call that would have sent it. Nothing is sent then.
//   - A piece of a path that the server, or a proxy before it, would read as
//     something else than this one piece is wrong: "", ".", "..", these three
//     with a semicolon behind them, and whatever contains / % ? # or a control
//     character.
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
//     GET, HEAD and OPTIONS; PUT and merge patches that name a resourceVersion;
//     DELETE with a uid or resourceVersion among its preconditions; apply
//     without force, or with a resourceVersion. It is never asked again earlier
//     than it said. If its waits would come to more than a minute in all, or
//     pass the caller's deadline, the answer is returned at once.
//   - The connection was lost before the answer began: GET and HEAD only, for
//     about two seconds. It could not be made at all, so that the server has
//     seen nothing: all verbs. Watches and streams not at all, since who watches
//     has a patience of his own. An answer that breaks off is an error.
//   - At most [Request.MaxRetries] times, 10 unless set, and never if the body
//     is a stream. Each attempt passes the limiter, watches excepted.
//
// A POST is therefore not repeated once the server may have seen it, but for a
// 429. The error of the attempt before is part of the last one's; what it is to
// package apierrors is the last attempt's. An error about the answer to a write
// that the server has accepted says so.
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
//	View, Resource                the typed clients of a clientset; dynamic.Interface; metadata.Interface
//	List                          tools/pager, and the PodList that it fills
//	Watch                         watch.Interface, without its channel and goroutine
//	Get/UpdateScale               scale.ScalesGetter
//	Client.Get().AbsPath(...)     clientset.Discovery().RESTClient().Get()
//	Result.Get, Request.Watch     the same, as unstructured: there is no scheme
//	RetryOnConflict               util/retry.RetryOnConflict
//	Config.Trace, WithTrace       tools/metrics, and its global registry
//	Client.RoundTripper          rest.TransportFor
//
// What is different: Body takes no file name, and sends a value as it encodes:
// without a scheme nobody can tell the apiVersion and kind of a typed object
// that does not carry them, so set its TypeMeta, or write through a [Resource],
// which knows them; Namespace, Name and Resource may
// be repeated with the same value; Resource is not put into lower case, but
// refused; AbsPath and RequestURI stay below the path in Config.Host;
// Result.StatusCode is HTTP's status, not the code in the Status that came.
//
// Package listwatch, the next room, is what a View is to a reflector.
package rest
