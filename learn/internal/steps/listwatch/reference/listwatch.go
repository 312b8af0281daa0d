// Package listwatch lists and watches the ConfigMaps of a server: step 4 of the course.
package listwatch

import (
	"context"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/thinformer/thinformer/learn/internal/stack"
	"github.com/thinformer/thinformer/listwatch"
	"github.com/thinformer/thinformer/rest"
)

// pageSize is the number of objects that a page of a list has at most.
const pageSize = 500

// NewListerWatcher returns a ListerWatcher for the ConfigMaps of one namespace, or of
// all namespaces for "".
func NewListerWatcher(client stack.Client, decoder stack.NewDecoder, namespace string) stack.ListerWatcher {
	return &listerWatcher{client, decoder, namespace}
}

type listerWatcher struct {
	client    stack.Client
	decoder   stack.NewDecoder
	namespace string
}

// request begins the request of a list or of a watch.
func (l *listerWatcher) request(options *metav1.ListOptions) stack.Request {
	return l.client.Verb("GET").Namespace(l.namespace).Resource("configmaps").VersionedParams(options)
}

// page is the response to one request of a list.
type page struct {
	metav1.ListMeta `json:"metadata"`
	Items           []stack.Object `json:"items"`
}

// List reads all pages. It returns a list only if it is complete.
func (l *listerWatcher) List(ctx context.Context, options metav1.ListOptions) (*listwatch.List[stack.Object], error) {
	next := options
	if next.Limit == 0 {
		next.Limit = pageSize
	}
	var objects []stack.Object
	for {
		var p page
		err := l.request(&next).Do(ctx).Into(&p)
		switch {
		case apierrors.IsResourceExpired(err) && next.Continue != "":
			// The server no longer has the state of the first page. The pages of another
			// state do not fit these: the whole list is read again, in one page, because
			// a paged one could expire again.
			objects, next = nil, options
			next.Limit = 0
			continue
		case err != nil:
			return nil, err
		}
		objects = append(objects, p.Items...)
		if p.Continue == "" {
			// All pages have the same version: that of the collection, which is newer
			// than the version of each object.
			return rest.ListOf(p.ResourceVersion, objects...), nil
		}
		next.Continue = p.Continue
		// The token has the version. The server rejects a second one.
		next.ResourceVersion, next.ResourceVersionMatch = "", ""
	}
}
