package apitest

import (
	"errors"
	"net/http"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
)

// await waits until the store has reached a version, for as long as patience.
func (c *call) await(version uint64) error {
	err := c.server.store.await(c.r.Context(), version, patience)
	if newer := (tooNew{}); errors.As(err, &newer) {
		return tooLarge(newer)
	}
	return err
}

// get answers with one object.
func (c *call) get() error {
	found, err := c.found()
	if err != nil {
		return err
	}
	return c.answer(http.StatusOK, found.raw)
}

// found is the object that is named. Whatever version is asked for, it is the
// newest, once that is new enough.
func (c *call) found() (*record, error) {
	version, err := parseVersion(c.query.Get("resourceVersion"))
	if err != nil {
		return nil, err
	}
	if err := c.await(version); err != nil {
		return nil, err
	}
	found := c.resource.table.get(key{c.namespace, c.name})
	if found == nil {
		return nil, apierrors.NewNotFound(c.GroupResource(), c.name)
	}
	return found, nil
}
