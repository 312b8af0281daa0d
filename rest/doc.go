// Package rest is a typed client for one Kubernetes API server: from a
// configuration to requests, and from response bytes to Go values.
//
//	 Config          Client                    a request
//	┌─────────┐     ┌──────────────────────┐
//	│ server  │ New │ GroupVersion ► Request ──► limiter ──► connection ──► server
//	│ user    │ ──► │ NewView     ► View   │       ▲ retry      credentials  │
//	│ options │     │ NewResource ► Resource       └───────┐     TLS, pools   │
//	└─────────┘     └──────────────────────┘    *Widget ◄── decoder ◄── bytes ┘
//
// A [Config] names the server and the user. A [Client] returns Go values: single
// objects, lists that are decoded while they arrive, and watches. It has two APIs.
// [NewView] and [NewResource] are typed: they take a Go type and the resource, and
// replace both clientset and dynamic client. [Client.GroupVersion] returns a
// RESTClient as in client-go, whose requests are built step by step.
//
// # Minimal example
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
// A View lists and watches a resource, here with a struct that has only the
// required fields:
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
// # Choosing a type
//
// T is a pointer to a struct with json tags. It needs no scheme, no DeepCopyObject
// and no list type:
//
//   - A type of k8s.io/api is decoded from protobuf if the server supports it.
//   - A struct with metav1.TypeMeta and metav1.ObjectMeta suits a custom resource.
//   - A slim struct, with [SlimMeta] and a few fields, costs the least time and
//     memory: other fields are skipped and never built.
//   - *metav1.PartialObjectMetadata requests only metadata from the server.
//   - *unstructured.Unstructured holds any object.
//
// # Guarantees
//
// Lists and watches:
//
//   - An object is decoded once, from the response to its Go type, without a buffer
//     for the whole response, an intermediate tree of maps, or a goroutine. It does
//     not keep its page or its encoded bytes in memory.
//   - All pages of a list show one state of the collection; if the server no
//     longer has that state, the list is restarted (see [ErrRestarted]). A list
//     that ended with an error has no version.
//   - An object that cannot be decoded affects only itself. An [ItemError] identifies
//     it.
//   - Input that is too large, nested too deeply, truncated, or not of the declared
//     content type results in an error with the cause and the position. Fields that
//     a type does not have are checked only as far as needed to find their end:
//     strings end, brackets match, the depth is bounded.
//   - [DecodeOptions] bound the memory of one object, even if its encoding is
//     small. A list has no such bound.
//   - An object with a name, namespace, UID or version of more than 1024 bytes
//     cannot be decoded; a list with such a version is an error.
//   - managedFields are skipped, unless [DecodeOptions] request them. Get and the
//     writes return them.
//   - Field names are case-sensitive. If a name occurs twice, the last one counts.
//   - Update does not drop fields silently: see [ErrWouldDropFields].
//
// Requests:
//
//   - If a setter of a [Request] gets an invalid argument, the call that would send
//     the request returns an error for the first such argument, and sends nothing.
//   - A path segment is invalid if the server, or a proxy, could read it as anything
//     other than this one segment: "", ".", "..", these three followed by a
//     semicolon, and segments that contain / % ? # or a control character.
//   - An error response is an *errors.StatusError of apimachinery, so that
//     apierrors.IsNotFound and the others work. This includes the responses of
//     proxies, and a failure Status in a 200 response.
//   - The size of an error is bounded: the message of a Status is truncated to
//     4096 bytes, each other text to 512 bytes, and the list of causes to 64
//     entries.
//   - Errors name their request. They show neither its query nor its headers.
//   - A watch or stream that cannot be opened returns an error, and never an empty
//     stream.
//   - Every wait ends as soon as the context is done.
//
// Retries:
//
//   - A response with a Retry-After header is retried in two cases. A 429 is retried
//     for every verb, because the server has done nothing. A 5xx is retried for
//     requests that can safely be repeated: GET, HEAD and OPTIONS; PUT and merge
//     patches with a resourceVersion; DELETE with a uid or resourceVersion among its
//     preconditions; apply without force, or with a resourceVersion. A retry is never
//     sent before the time that the server named. If the waits would exceed one
//     minute in total, or the caller's deadline, the response is returned at once.
//   - If the connection is lost before the response begins, only GET and HEAD are
//     retried, for about two seconds. If no connection can be made, all verbs are
//     retried, because the server has received nothing. Watches and streams are not
//     retried; their callers have their own back-off. A truncated response is an
//     error.
//   - A request is retried at most [Request.MaxRetries] times, 10 by default, and
//     never if its body is a stream. Each attempt waits for the limiter, except
//     those of watches.
//   - The requests of a reflector are not retried, except for the later pages of a
//     list: the reflector retries them itself and reports each failure.
//
// Therefore, once the server may have received a POST, the POST is retried only
// after a 429. The error of a retry also contains the error of the previous
// attempt; the functions of package apierrors examine only the error of the last
// attempt. If the server accepted a write and its response cannot be read, the
// error says that the write was accepted.
//
// There is no client-side rate limit unless [Config] sets one: the server has its
// own, and knows its load.
//
// # Names in client-go
//
//	here                          client-go
//	Config, Client                rest.Config, rest.HTTPClientFor and the clientset around it
//	Client.GroupVersion           rest.RESTClientFor(&config), one config for each group
//	RESTClient, Request, Result   the same names
//	View, Resource                the typed clients of a clientset; dynamic.Interface; metadata.Interface
//	List                          tools/pager, and the PodList that it fills
//	Watch                         watch.Interface, without its channel and goroutine
//	Get/UpdateScale               scale.ScalesGetter
//	Client.Get().AbsPath(...)     clientset.Discovery().RESTClient().Get()
//	Result.Get, Request.Watch     the same, as unstructured: there is no scheme
//	RetryOnConflict               util/retry.RetryOnConflict
//	Config.Trace, WithTrace       tools/metrics, and its global registry
//	Client.RoundTripper           rest.TransportFor
//
// Differences:
//
//   - Body does not accept a file name. It encodes a value as it is: without a
//     scheme, the apiVersion and kind of a typed object are unknown unless its
//     TypeMeta is set. A [Resource] adds them.
//   - Namespace, Name and Resource may be called again with the same value.
//   - Resource is not converted to lower case; upper case is an error.
//   - AbsPath and RequestURI stay below the path in Config.Host.
//   - Result.StatusCode is the HTTP status, not the code of a Status.
//
// A View is a source for a reflector; see package listwatch.
package rest
