package reconcile

import (
	"fmt"
	"io"

	"github.com/thinformer/thinformer/apitest"
	"github.com/thinformer/thinformer/learn/internal/judge"
	"github.com/thinformer/thinformer/learn/internal/reference"
	"github.com/thinformer/thinformer/learn/internal/stack"
)

// show prints the requests of Reconcile with caches of different ages.
func show(w io.Writer) error {
	return judge.Show(func(t *judge.T) {
		c := newCluster(t, reference.Parts())
		site := c.site("shop/docs", "hello")
		c.sync()
		c.shown(w, "a new site")
		c.shown(w, "again: the cache does not have the page yet")
		c.sync()
		c.shown(w, "again: the cache has the page")

		c.change("shop/docs", "hello, world")
		c.sync()
		c.shown(w, "the site has other data")
		c.change("shop/docs", "goodbye")
		c.syncOnly("shop/docs")
		c.shown(w, "other data again: the cached page is of an older version")
		c.sync()
		c.shown(w, "again: the cache has the version of the server")

		c.delete(stack.Key(site))
		c.sync()
		c.shown(w, "the site is deleted")
		c.shown(w, "again: the cache still has the page")
	})
}

// syncOnly makes one object of the cache equal to that of the server.
func (c *cluster) syncOnly(key string) { c.cache.Apply([]stack.Object{c.get(key)}, nil) }

// shown prints the requests and the error of a Reconcile.
func (c *cluster) shown(w io.Writer, what string) {
	_, err := c.try("shop/docs")
	fmt.Fprintf(w, "%s\n", what)
	for _, request := range c.server.Requests(apitest.Match{}) {
		fmt.Fprintf(w, "    %-6s %s  %d\n", request.Method, request.Path, request.Code)
	}
	if err != nil {
		fmt.Fprintf(w, "    error: the work queue calls Reconcile again\n")
	}
}
