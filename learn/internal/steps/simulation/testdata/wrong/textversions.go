// want: a legal history is accepted: version 10 comes after version 8
package simulation

import "fmt"

// advance compares versions as texts.
func (c *checker) advance(key, version string) error {
	if newest := c.newest[key]; version < newest {
		return fmt.Errorf("version %s comes after version %s", version, newest)
	}
	c.newest[key] = version
	return nil
}
