package apitest

import (
	apierrors "k8s.io/apimachinery/pkg/api/errors"
)

// deleteCollection answers a DELETE of what a list with the same parameters
// would show, and answers with that list. The objects go one by one: a failure
// ends it halfway.
func (c *call) deleteCollection() error {
	options, chosen, err := c.parseListing()
	if err != nil {
		return err
	}
	how, err := c.readDeleteOptions()
	if err != nil {
		return err
	}
	found, err := c.listed(options, chosen)
	if err != nil {
		return err
	}
	for _, rec := range found.records {
		one := *c
		one.namespace, one.name = rec.namespace, rec.name
		if _, _, err := one.remove(how); err != nil && !apierrors.IsNotFound(err) {
			return err
		}
	}
	return c.answerList(found)
}
