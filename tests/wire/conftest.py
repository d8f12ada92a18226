from tests.support.properties import use_profile

use_profile()
