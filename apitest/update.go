package apitest

import (
	"fmt"
	"net/http"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/thinformer/thinformer/apitest/internal/params"
)

// update serves a PUT.
func (c *call) update() error {
	options, err := params.ParseUpdate(c.query, c.r.UserAgent())
	if err != nil {
		return err
	}
	obj, err := c.readObject(options)
	if err != nil {
		return err
	}
	if err := c.placeInNamespace(obj); err != nil {
		return err
	}
	if err := c.checkName(obj); err != nil {
		return err
	}
	m := mutation{
		WriteOptions: options, uid: obj.GetUID(),
		orCreate: c.resource.Strategy.CreateByUpdate && c.Subresource == "",
	}
	rec, created, err := c.mutate(m, func(*unstructured.Unstructured) (*unstructured.Unstructured, error) {
		return obj.DeepCopy(), nil
	})
	if err != nil {
		return err
	}
	code := http.StatusOK
	if created {
		code = http.StatusCreated
	}
	return c.respond(code, rec.Raw)
}

// checkName compares the name in the body with the name in the path.
func (c *call) checkName(obj *unstructured.Unstructured) error {
	switch name := obj.GetName(); name {
	case c.Name:
		return nil
	case "":
		return apierrors.NewBadRequest(fmt.Sprintf("the name of the object (%s based on URL) was undeterminable: name must be provided", c.Name))
	default:
		return apierrors.NewBadRequest(fmt.Sprintf("the name of the object (%s) does not match the name on the URL (%s)", name, c.Name))
	}
}
